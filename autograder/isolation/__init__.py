"""The isolated engine: student code runs in a process that holds nothing worth stealing. See ../SECURITY.md."""
