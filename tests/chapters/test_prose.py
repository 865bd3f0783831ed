"""The reader of prose finds what it must and forgives what it may."""

import pytest
from prose import blocks, loose_numbers, sentences, words


@pytest.mark.parametrize("text", [
    "The longest wavelength is 60611.5 tokens.",
    "It falls by 13 %.",
    "- about 4 times as fast",
    "It is 1.84× faster.",
    "A gain of −0.5 nats {glue:text}`x`.",
    "Published {cite:t}`su2021`. Our own is 27.5.",
    "```{note}\nAt 4096 tokens it ends.\n```",
    ":::{admonition} Note\nAt 4096 tokens it ends.\n:::",
    "| model | loss |\n|---|---|\n| ours | 3.5 |",
    "```{list-table}\n:header-rows: 1\n* - model\n  - loss\n* - ours\n  - 3.5\n```",
    "$$\nx = 3\n$$ (label)\n\nIt takes 4 steps.",
    "$$x = 3$$ (label)\n\nIt takes 4 steps.",
    "```{figure} x.png\n:name: x\nThe loss is 3.5.\n```",
])
def test_a_loose_number_is_found(text):
    assert len(loose_numbers(text)) == 1


@pytest.mark.parametrize("text", [
    "", "The wavelength is {glue:text}`longest:.1f` tokens.", "In 2017 and 2023.", "GPT-2, T5, ViT-B/16, float16, 2-D, 7B and v0.2.",
    "Llama 3.1 and Gemma 3, Python 3.11.", "See Section 3.2, Table 5, Equations 16 and 17 and Appendix A.2.", "$d = 128$ and\n$$\nx = 3\n$$\n",
    "`x = 3` and\n```python\ny = 4\n```", "```{code-cell} ipython3\n:tags: [x]\nz = 3\n```", "{cite:t}`su2021` report 27.5 against 27.3.",
    "It scores 27.5 ([arXiv](https://arxiv.org/abs/2104.09864)).", "1. first\n2. second", "(rope-1)=\n## 3 pairs", "<!-- 33 -->",
    "*Reading time: about 25 minutes.*", "**Reading time**: 25 minutes", "From {cite:p}`a2020`:\n\n| a | 3.5 |\n|---|---|\n| b | 4.5 |",
    "| a | 3.5 |\n|---|---|\n| b | 4.5 {cite:p}`a2020` |", "[text](rope.md#part-3)", "[#25199](https://github.com/x/y/issues/25199) says 3.",
    "Paper, e.g. {cite:t}`a2020`, says 27.5 here.", "```{math}\n:label: x\ny = 3\n```", "$$x = 3$$",
    "Keys $(1; 0)$ and $(2; 3)$.", "Each row has one 1, all else is 0.", "| column | 0 | 1 | 2 |",
])
def test_other_numbers_are_forgiven(text):
    assert loose_numbers(text) == []


def test_blocks_and_sentences():
    assert [b.text for b in blocks("One\ntwo.\n\n- three\n- four\n\n# Five")] == ["One two.", "three", "four", "Five"]
    assert sentences("It is 3.5 here. See e.g. Shaw et al. for more. End.") == ["It is 3.5 here.", "See e.g. Shaw et al. for more.", "End."]
    assert words("Two words, $x = 3$ and `code`.\n\n```python\nnot these\n```") == 3
