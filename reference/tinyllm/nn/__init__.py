"""Layers: functions of tensors that own their parameters."""
