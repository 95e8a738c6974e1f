"""The passages of a text that fit a question: ranked by Okapi BM25, given in the order of the text.

BM25 as in Robertson and Zaragoza (2009), "The Probabilistic Relevance Framework: BM25 and Beyond", with the usual
k1 = 1.5 and b = 0.75, and the inverse document frequency that cannot become negative.
"""

from __future__ import annotations

import math
import re
from collections import Counter

LONGEST = 2000
K1, B = 1.5, 0.75


def paragraphs_of(text: str) -> list[str]:
    """The paragraphs of a text; one longer than 2,000 characters is cut at a line or word near there."""
    found: list[str] = []
    for block in re.split(r"\n\s*\n", text):
        rest = block.strip()
        while len(rest) > LONGEST:
            cut = max(rest.rfind("\n", 0, LONGEST), rest.rfind(" ", LONGEST // 2, LONGEST))
            cut = cut if cut > 0 else LONGEST
            found.append(rest[:cut].strip())
            rest = rest[cut:].strip()
        found.append(rest)
    return [paragraph for paragraph in found if paragraph]


def best_passages(paragraphs: list[str], question: str, characters: int) -> list[int]:
    """Indices, ascending, of the best paragraphs that fit into a number of characters; the first ones when no
    paragraph shares a word with the question."""
    scores = bm25(paragraphs, question)
    ranked = sorted(range(len(paragraphs)), key=lambda n: (-scores[n], n))
    chosen: list[int] = []
    room = characters
    for number in ranked:
        if len(paragraphs[number]) <= room:
            chosen.append(number)
            room -= len(paragraphs[number])
    return sorted(chosen)


def bm25(paragraphs: list[str], question: str) -> list[float]:
    """The score of each paragraph for the words of a question."""
    bags = [Counter(_words(paragraph)) for paragraph in paragraphs]
    lengths = [sum(bag.values()) for bag in bags]
    mean = sum(lengths) / len(lengths) if lengths and sum(lengths) else 1.0
    scores = [0.0] * len(paragraphs)
    for word in set(_words(question)):
        having = sum(word in bag for bag in bags)
        rarity = math.log(1 + (len(bags) - having + 0.5) / (having + 0.5))
        for number, bag in enumerate(bags):
            count = bag[word]
            scores[number] += (
                rarity * count * (K1 + 1) / (count + K1 * (1 - B + B * lengths[number] / mean))
                if count
                else 0.0
            )
    return scores


def _words(text: str) -> list[str]:
    return re.findall(r"\w+", text.casefold())
