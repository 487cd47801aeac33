"""A small corpus of our own writing: enough for the model to know its words."""

import pytest
from hexapla.mojibake import Corpus

PAGE = """# 训练

在单个显卡上训练模型时，批次大小受到内存的限制。梯度累积把一个大批次分成几个小批次，每个小批次算一次梯度，
最后更新一次权重。这样做不会改变结果，但是需要更多的时间。

混合精度训练用半精度计算，用单精度保存权重。如果损失太小，梯度会变成零，所以需要把损失放大。

梯度检查点只保存一部分激活值，其余的在反向传播时重新计算。内存占用减少了，训练速度也会变慢。

## 数据加载

数据加载器在训练时预先读取数据，这样显卡就不需要等待。如果内存足够，可以把数据固定在内存中。
"""
DRAFT = """# 内存

训练模型时，内存的限制决定了批次大小。梯度累积需要更多的时间，但是内存占用减少了。

如果显卡的内存不够，可以用混合精度训练，也可以用梯度检查点。
"""


@pytest.fixture(scope="session")
def corpus() -> Corpus:
    """A model of Chinese from three pages, no word list."""
    return Corpus([PAGE, DRAFT, PAGE.replace("显卡", "加速卡")], listed=False)


@pytest.fixture(scope="session")
def page() -> str:
    """A clean page that the model knows."""
    return PAGE


@pytest.fixture(scope="session")
def draft() -> str:
    """A clean page whose words the model knows."""
    return DRAFT
