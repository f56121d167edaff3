"""EfficientNet-Lite0, the image tower that the embedded models start from.

The network of Tan & Le (2019) in its Lite form: no squeeze-and-excitation, ReLU6 everywhere, fixed stem and head.
Written in the order in which published weights list their tensors, so that they load by position and shape.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate

from torch import Tensor, nn
from torch.nn import functional

from tiacam.errors import ModelFileError, UsageError

FEATURE_CHANNELS = 1280
STEM_CHANNELS = 32
INPUT_MEAN = 127.0
INPUT_SCALE = 128.0


@dataclass(frozen=True)
class Stage:
    """A run of inverted bottlenecks; only the first of them strides and widens."""

    repeats: int
    kernel: int
    stride: int
    expansion: int
    channels: int


LITE0_STAGES = (
    Stage(1, 3, 1, 1, 16),
    Stage(2, 3, 2, 6, 24),
    Stage(2, 5, 2, 6, 40),
    Stage(3, 3, 2, 6, 80),
    Stage(3, 5, 1, 6, 112),
    Stage(4, 5, 2, 6, 192),
    Stage(1, 3, 1, 6, 320),
)


def with_repeats(repeats: Sequence[int]) -> tuple[Stage, ...]:
    """Lite0's stages, each with so many blocks."""
    if len(repeats) != len(LITE0_STAGES) or min(repeats) < 1:
        raise UsageError(
            f"blocks of {len(LITE0_STAGES)} stages are wanted, each at least 1, not {list(repeats)}"
        )
    return tuple(replace(stage, repeats=count) for stage, count in zip(LITE0_STAGES, repeats, strict=True))


def stages_of(channels: Sequence[int]) -> tuple[Stage, ...]:
    """The stages of a network whose blocks put out these channels, one after another."""
    widths = [stage.channels for stage in LITE0_STAGES]
    repeats = [list(channels).count(width) for width in widths]
    expected = [width for width, count in zip(widths, repeats, strict=True) for _ in range(count)]
    if 0 in repeats or list(channels) != expected:
        raise ModelFileError(f"blocks of {list(channels)} channels are no EfficientNet-Lite0's")
    return with_repeats(repeats)


class SameConv(nn.Conv2d):
    """Convolution padded as in TensorFlow: for stride 2 on an even side, one more row below and to the right."""

    def forward(self, image: Tensor) -> Tensor:
        kernel, stride = self.kernel_size[0], self.stride[0]
        total = kernel - stride if stride > 1 else kernel - 1
        before = total // 2
        if total == 0:
            return super().forward(image)
        if total % 2 == 0:
            return functional.conv2d(
                image, self.weight, self.bias, self.stride, before, self.dilation, self.groups
            )
        padded = functional.pad(image, (before, total - before, before, total - before))
        return super().forward(padded)


def convolution(inputs: int, outputs: int, kernel: int = 1, stride: int = 1, groups: int = 1) -> SameConv:
    return SameConv(inputs, outputs, kernel, stride, groups=groups, bias=False)


def normalisation(channels: int) -> nn.BatchNorm2d:
    return nn.BatchNorm2d(channels, eps=1e-3, momentum=0.01)


class InvertedBottleneck(nn.Module):
    """1×1 expansion, depth-wise convolution, 1×1 projection, with a skip where the shapes agree."""

    def __init__(self, inputs: int, stage: Stage, stride: int) -> None:
        super().__init__()
        hidden = inputs * stage.expansion
        self.expand: nn.Module = nn.Identity()
        if stage.expansion != 1:
            self.expand = nn.Sequential(
                convolution(inputs, hidden), normalisation(hidden), nn.ReLU6(inplace=True)
            )
        self.depthwise = convolution(hidden, hidden, stage.kernel, stride, groups=hidden)
        self.depthwise_norm = normalisation(hidden)
        self.project = convolution(hidden, stage.channels)
        self.project_norm = normalisation(stage.channels)
        self.skip = stride == 1 and inputs == stage.channels

    def forward(self, image: Tensor) -> Tensor:
        hidden = functional.relu6(self.depthwise_norm(self.depthwise(self.expand(image))))
        out: Tensor = self.project_norm(self.project(hidden))
        return out + image if self.skip else out


class EfficientNetLite0(nn.Module):
    """Pixels → (B, 1280, H/32, W/32) feature map; pooling belongs to whoever uses it.

    With other `stages` than Lite0's, the same network with more or fewer blocks in them.
    """

    def __init__(self, stages: Sequence[Stage] = LITE0_STAGES) -> None:
        super().__init__()
        self.stages = tuple(stages)
        self.stem = convolution(3, STEM_CHANNELS, 3, 2)
        self.stem_norm = normalisation(STEM_CHANNELS)
        blocks: list[nn.Module] = []
        channels = STEM_CHANNELS
        for stage in self.stages:
            for repeat in range(stage.repeats):
                blocks.append(InvertedBottleneck(channels, stage, stage.stride if repeat == 0 else 1))
                channels = stage.channels
        self.blocks = nn.Sequential(*blocks)
        self.head = convolution(channels, FEATURE_CHANNELS)
        self.head_norm = normalisation(FEATURE_CHANNELS)

    def forward(self, image: Tensor) -> Tensor:
        hidden = self.blocks(functional.relu6(self.stem_norm(self.stem(image))))
        return functional.relu6(self.head_norm(self.head(hidden)))  # (B, 1280, H/32, W/32)

    @property
    def ends(self) -> tuple[int, ...]:
        """The index of every stage's last block."""
        return tuple(count - 1 for count in accumulate(stage.repeats for stage in self.stages))

    def front(self, stages: int) -> list[nn.Module]:
        """The stem and the first stages, the part that sees the most pixels."""
        blocks = list(self.blocks)[: self.ends[stages - 1] + 1] if stages else []
        return [self.stem, self.stem_norm, *blocks] if stages else []

    def load_shallower(self, other: EfficientNetLite0) -> None:
        """Take the weights of a network with fewer blocks; the blocks that it lacks do nothing at first."""
        for name in ("stem", "stem_norm", "head", "head_norm"):
            getattr(self, name).load_state_dict(getattr(other, name).state_dict())
        ours = theirs = 0
        for mine, given in zip(self.stages, other.stages, strict=True):
            for repeat in range(mine.repeats):
                block = self.blocks[ours + repeat]
                assert isinstance(block, InvertedBottleneck)
                if repeat < given.repeats:
                    block.load_state_dict(other.blocks[theirs + repeat].state_dict())
                else:
                    nn.init.zeros_(block.project_norm.weight)
            ours, theirs = ours + mine.repeats, theirs + given.repeats

    def load_published(self, weights: Mapping[str, Tensor]) -> None:
        """Take ImageNet weights that list the same tensors in the same order (a classifier at the end is dropped)."""
        ours = self.state_dict()
        theirs = [
            tensor
            for name, tensor in weights.items()
            if not name.lstrip("_").startswith(("fc", "classifier"))
        ]
        if [tuple(t.shape) for t in ours.values()] != [tuple(t.shape) for t in theirs]:
            raise ModelFileError("the weights are not those of an EfficientNet-Lite0: shapes or order differ")
        self.load_state_dict(dict(zip(ours, theirs, strict=True)))
