"""Finished pieces of an experiment on disk, so that an interrupted run goes on where it was."""

import os
import shutil
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray


class ResultCache:
    """Arrays by key. A key must tell everything that determines the array; without a folder nothing is remembered."""

    def __init__(self, folder: Path | None) -> None:
        self.folder = folder

    def get(self, key: str) -> NDArray[Any] | None:
        """The array, or None; what cannot be read counts as not there."""
        if self.folder is None:
            return None
        try:
            return np.asarray(np.load(self._path(key), allow_pickle=False))
        except (OSError, ValueError, EOFError):
            return None

    def put(self, key: str, array: NDArray[Any]) -> None:
        """Keep an array; it is there whole or not at all, whenever the machine stops."""
        if self.folder is None:
            return
        path = self._path(key)
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(dir=path.parent)
        try:
            with os.fdopen(handle, "wb") as file:
                np.save(file, array, allow_pickle=False)
            os.replace(name, path)
        except BaseException:
            Path(name).unlink(missing_ok=True)
            raise

    def clear(self) -> None:
        """Forget everything."""
        if self.folder is not None:
            shutil.rmtree(self.folder, ignore_errors=True)

    def _path(self, key: str) -> Path:
        assert self.folder is not None
        return self.folder / key[:2] / f"{key[2:]}.npy"
