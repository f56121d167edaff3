"""Fixed, named attacks with real codecs: the paper's lists, and what the field adds."""

from tiacam.capture.attacks.attack import Attack, Group
from tiacam.capture.attacks.catalogue import ATTACKS, attacks_of

__all__ = ["ATTACKS", "Attack", "Group", "attacks_of"]
