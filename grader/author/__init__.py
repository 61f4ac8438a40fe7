"""What an instructor needs: faults and lessons, written, proved and compared."""
