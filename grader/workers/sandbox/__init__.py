"""What a run gives up before learner's code is imported.

layers.py      the names                     probes.py      which of them work here, each proven by a refusal
paths.py       what may be read, as data     landlock.py    the file system
calls.py       what may be called, as data   seccomp.py     system calls
kernel.py      the calls to the kernel       namespaces.py  process ids, network, System V objects, mounts
entering.py    all of it, in order           listings.py    imports where folders cannot be listed
"""

from grader.workers.sandbox.layers import Layer, Layers
from grader.workers.sandbox.probes import Mode, choose, probe

__all__ = ["Layer", "Layers", "Mode", "choose", "probe"]
