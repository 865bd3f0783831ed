"""The one figure style of the course: `import plotting` sets it.

Figures have a light background in both themes, so that colours are those that the captions name.
Colours are Okabe and Ito's, which people with any common colour blindness can tell apart
(https://jfly.uni-koeln.de/color/).
"""

import matplotlib.pyplot as plt
from cycler import cycler

BLUE, ORANGE, GREEN, PINK, SKY, VERMILLION, YELLOW, BLACK = (
    "#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#D55E00", "#F0E442", "#222222",
)
COLORS = [BLUE, VERMILLION, GREEN, PINK, ORANGE, SKY, BLACK]
SEQUENTIAL = "cividis"   # magnitudes
DIVERGING = "RdBu_r"     # signed data: give vmin = -vmax, so that white is zero

plt.rcParams.update({
    "figure.figsize": (6.4, 3.6),      # inches; at 375 px text of 12 points is about 9 px high
    "figure.dpi": 150,                 # about twice the width of the text column: sharp on any screen
    "savefig.dpi": 150,
    "figure.facecolor": "#FBFBFA",
    "axes.facecolor": "#FBFBFA",
    "savefig.facecolor": "#FBFBFA",
    "figure.constrained_layout.use": True,
    "axes.prop_cycle": cycler(color=COLORS),
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "grid.color": "#E3E3E0",
    "axes.axisbelow": True,
    "font.size": 12,
    "axes.titlesize": 12,
    "axes.labelsize": 12,
    "xtick.labelsize": 11,
    "ytick.labelsize": 11,
    "legend.fontsize": 11,
    "lines.linewidth": 1.8,
    "legend.frameon": False,
    "image.cmap": SEQUENTIAL,
})


def heatmap(ax, values, *, signed=False, label="", xlabel="", ylabel="", limit=None):
    """Draw a 2-D array with a colour bar; row 0 is at the top. Returns the image.

    values: (rows, columns). signed: diverging map, symmetric about zero. limit: largest magnitude
    shown (default: that of the data). label: what the colour means, for the colour bar.
    """
    options = {"cmap": DIVERGING if signed else SEQUENTIAL, "aspect": "auto", "interpolation": "nearest"}
    if signed:
        top = limit if limit is not None else abs(values).max()
        options |= {"vmin": -top, "vmax": top}
    elif limit is not None:
        options |= {"vmax": limit}
    image = ax.imshow(values, **options)
    ax.grid(False)
    ax.set(xlabel=xlabel, ylabel=ylabel)
    ax.figure.colorbar(image, ax=ax, label=label)
    return image
