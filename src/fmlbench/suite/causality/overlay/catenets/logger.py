"""What this repository logs with, on the standard library instead of loguru."""

import logging

_LOGGER = logging.getLogger("catenets")

critical = _LOGGER.critical
error = _LOGGER.error
warning = _LOGGER.warning
info = _LOGGER.info
debug = _LOGGER.debug
