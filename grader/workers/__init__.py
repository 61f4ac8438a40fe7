"""The only code that starts, limits or kills a process.

Five kinds of process take part in a grading; each runs one module of this package:

* the *grader* itself (`launch`, `pool`, `conversation`): decides everything, runs no learner's code;
* the *warm server* (`server`): a clean interpreter that imports numpy, pytest and the course's package once;
* the *host* of a submission (`host`): a fork of the server that reads, checks and compiles the suite;
* a *keeper* (`keeper`): a fork of the host that starts one run at a time and leaves no process of it behind;
* a *run* (`child`): a fork of a keeper, the only process in which learner's code is executed.

Modules that end up beside learner's code depend on nothing of `grader` outside this package.
"""
