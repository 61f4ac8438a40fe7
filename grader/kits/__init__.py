"""What a service needs to grade with this program: files that are made once, by the instructor, for one lesson.

Each kit names the lesson, the hash of its data and the exact versions of what it installs, so that a grade depends on
nothing that changes by itself, and a learner who edits the course's files is refused.
"""
