"""Messages from tables of fields."""

from tapeflow.io.described import message_classes

TABLE = """
Leaf: 1 text string, 2 number sint64
Tree: 1 leaf Leaf in kind, 2 count int32 in kind, 3 branches repeated Tree,
    4 by_name map Leaf, 5 by_number map uint32 string
Nothing:
"""


def test_fields_of_all_kinds():
    kinds = message_classes(TABLE)
    tree = kinds["Tree"](branches=[kinds["Tree"](count=3)])
    tree.by_name["a"].number = -1
    tree.by_number[7] = "seven"
    again = kinds["Tree"].FromString(tree.SerializeToString())
    assert again == tree
    assert again.by_name["a"].number == -1 and again.by_number[7] == "seven"
    assert again.branches[0].WhichOneof("kind") == "count"
    assert kinds["Nothing"]().SerializeToString() == b""


def test_the_wire_is_as_numbers_and_kinds_say():
    kinds = message_classes(TABLE)
    assert kinds["Leaf"](text="a", number=-1).SerializeToString() == b"\n\x01a\x10\x01"  # zigzag: -1 is 1
    tree = kinds["Tree"]()
    tree.by_number[7] = "x"
    assert tree.SerializeToString() == b"*\x05\x08\x07\x12\x01x"


def test_one_of_a_group_at_a_time():
    tree = message_classes(TABLE)["Tree"](count=1)
    tree.leaf.text = "a"
    assert tree.WhichOneof("kind") == "leaf" and tree.count == 0


def test_tables_of_one_name_do_not_meet():
    one, other = (message_classes(f"Thing: 1 {name} int32")["Thing"] for name in "ab")
    assert one(a=1).SerializeToString() == other(b=1).SerializeToString()
