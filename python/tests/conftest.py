"""The same arguments in each run, where a test that fails at random would hold others up: `--hypothesis-profile=steady`."""

from hypothesis import settings

settings.register_profile("steady", derandomize=True, deadline=None, database=None)
