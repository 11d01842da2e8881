"""The controller behind the make targets: it carries data between files, programs and the core, which decides."""
