"""Print docs/methods.md."""

from tarstop_core.teaching.methods import document

if __name__ == "__main__":
    print(document(), end="")
