"""Lookup tables in SavedModels: functions that make a table and fill it, with its keys and values, or from a file that
is copied beside the model."""

import os
from typing import Any, NamedTuple

from tapeflow.ops.arrays.tables import Entries

from .body import RESOURCE, TEXT, Body, Function, Library, Value


class TableFunctions(NamedTuple):
    """What makes a table, and what fills it: from an asset, if it has one."""

    entries: Entries
    name: str
    create: Function
    initialize: Function
    asset: str | None


def table_functions(library: Library, entries: Entries, number: int, assets: dict[str, str]) -> TableFunctions:
    """Add the functions to a library, and the file to `assets`."""
    name, asset = f"table_{number}", _asset(entries, assets)
    body = Body(library)
    handle = table_node(body, entries, name)
    create = library.add(body.function(library.name("create_table"), [], [("table_handle", body.Identity(handle))]))
    body = Body(library)
    given = [Value("table_handle", RESOURCE)] + ([] if asset is None else [Value("filename", TEXT)])
    filled_node(body, entries, *given)
    body.after.append(body.nodes[-1].name)
    body.changes = True
    initialize = library.add(body.function(library.name("fill_table"), [(v.ref, v) for v in given], []))
    return TableFunctions(entries, name, create, initialize, asset)


def table_node(body: Body, entries: Entries, name: str) -> Value:
    return body.HashTableV2(key_dtype=entries.keys.dtype, value_dtype=entries.values.dtype, shared_name=name)


def filled_node(body: Body, entries: Entries, handle: Value, file: Any = None) -> str:
    """The name of the node that fills a table."""
    source = entries.source
    if file is None or source is None:
        return body.InitializeTableV2(handle, entries.keys, entries.values)
    return body.InitializeTableFromTextFileV2(
        handle, file, key_index=int(source.key_index), value_index=int(source.value_index),
        vocab_size=-1 if source.size is None else int(source.size), delimiter=source.delimiter,
        offset=int(source.offset),
    )  # fmt: skip


def _asset(entries: Entries, assets: dict[str, str]) -> str | None:
    """The name of the file that a table is from, if it is still there and has the same content."""
    if entries.source is None:
        return None
    path = entries.source.path
    try:
        if entries.source.read() != entries.found:
            return None
    except Exception:  # gone, or no longer a table
        return None
    stem, extension = os.path.splitext(os.path.basename(path))
    name, k = stem + extension, 0
    while assets.get(name, path) != path:
        k += 1
        name = f"{stem}_{k}{extension}"
    assets[name] = path
    return name
