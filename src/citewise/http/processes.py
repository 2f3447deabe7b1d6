"""Whether a process of this machine is there."""

import os
import sys


def is_alive(process: int) -> bool:
    """Return whether a process of this number runs, whoever's it is."""
    if sys.platform == "win32":  # os.kill would end it there
        import ctypes

        may_ask, no_right = 0x1000, 5  # PROCESS_QUERY_LIMITED_INFORMATION, ERROR_ACCESS_DENIED
        kernel = ctypes.WinDLL("kernel32", use_last_error=True)
        handle = kernel.OpenProcess(may_ask, False, process)
        if handle:
            kernel.CloseHandle(handle)
        return bool(handle) or ctypes.get_last_error() == no_right
    try:
        os.kill(process, 0)  # signal 0 only asks
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True
