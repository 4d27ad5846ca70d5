"""What a person does most often passes through few files and functions: a stranger can follow it."""

from benchmarks.code_paths import measure
from tarstop_core.sessions.store.store import Store


def test_an_action_passes_through_few_files(store: Store) -> None:
    paths = measure(store)
    label, upload, slider = paths["label"], paths["upload"], paths["slider"]
    assert len(label.files) <= 45 and label.functions <= 291
    # Every element of the page is held for a moment, to be sent with the others: a change of file each.
    assert len(upload.files) <= 40 and upload.changes <= 310
    assert len(slider.files) <= 30
