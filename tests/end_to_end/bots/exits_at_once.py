"""Ends with exit status 3 before it has connected."""

import sys

from common import leave_pid

leave_pid()
sys.exit(3)
