"""Downloads of Keras (`tf.keras.datasets`, `tf.keras.utils.get_file`) where there is no network: soon, and with what
to do instead."""

import functools
import socket
from collections.abc import Callable
from typing import Any
from urllib.error import HTTPError, URLError
from urllib.parse import urlsplit
from urllib.request import getproxies, proxy_bypass

PATIENCE = 10  # seconds until nobody answering counts as no network; a download itself may take as long as it likes

Retrieve = Callable[..., Any]


def explained(retrieve: Retrieve) -> Retrieve:
    """Keras' function for downloads (a URL, a file), with errors of the same classes that say where the file may be
    put."""

    @functools.wraps(retrieve)
    def download(url: str, filename: str, *rest: Any, **options: Any) -> Any:
        try:
            _knock(url)
            return retrieve(url, filename, *rest, **options)
        except HTTPError as error:
            error.msg = f"{error.msg}. {_advice(url, filename)}"
            raise
        except OSError as error:
            reason = getattr(error, "reason", None) or error
            raise URLError(f"{reason}. {_advice(url, filename)}") from error

    return download


def _knock(url: str) -> None:
    """Fails where nobody answers at an address: the download would wait for minutes."""
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or parts.hostname is None:
        return
    if parts.scheme in getproxies() and not proxy_bypass(parts.hostname):
        return  # the proxy knows the way, and this machine may not
    port = parts.port or {"http": 80, "https": 443}[parts.scheme]
    socket.create_connection((parts.hostname, port), timeout=PATIENCE).close()


def _advice(url: str, filename: str) -> str:
    return (
        f"The file is not in Keras' cache, and cannot be downloaded. To work without a network, download {url} "
        f"elsewhere, and put it here as {filename} (exactly this name); it is then read from there. KERAS_HOME in the "
        "environment is another place than ~/.keras for the cache."
    )
