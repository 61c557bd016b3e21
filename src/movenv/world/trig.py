"""Sine, cosine, arctangent and angle wrapping that inline into kernels.

The platform's `sin` and `cos` are function calls that no loop can be vectorised across, and they
differ between machines. These are polynomials: eight lanes at once where the processor can, and
the same bits everywhere. They stay within one unit in the last place for |angle| below 1e6.
"""

import math

import numpy as np

from movenv.world.kernel import inline

TWO_PI = 2.0 * math.pi
TWO_OVER_PI = 2.0 / math.pi

# pi/2 in three parts, each with trailing zero bits, so that k * part is exact (Cody and Waite).
HALF_PI_1 = 1.57079632673412561417e00
HALF_PI_2 = 6.07710050630396597660e-11
HALF_PI_3 = 2.02226624879595063154e-21

TAN_67 = math.tan(3.0 * math.pi / 8.0)


@inline
def sincos(angle):  # type: ignore[no-untyped-def]
    """(sin, cos) of an angle in radians."""
    quarter = math.floor(angle * TWO_OVER_PI + 0.5)
    r = ((angle - quarter * HALF_PI_1) - quarter * HALF_PI_2) - quarter * HALF_PI_3
    z = r * r
    # Minimax polynomials on [-pi/4, pi/4], degrees 13 and 14, by Horner's rule.
    p = 1.58969099521155010221e-10
    p = p * z - 2.50507602534068634195e-08
    p = p * z + 2.75573137070700676789e-06
    p = p * z - 1.98412698298579493134e-04
    p = p * z + 8.33333333332248946124e-03
    p = p * z - 1.66666666666666324348e-01
    sine = r + r * z * p
    q = -1.13596475577881948265e-11
    q = q * z + 2.08757232129817482790e-09
    q = q * z - 2.75573143513906633035e-07
    q = q * z + 2.48015872894767294178e-05
    q = q * z - 1.38888888888741095749e-03
    q = q * z + 4.16666666666666019037e-02
    cosine = 1.0 - 0.5 * z + z * z * q
    quadrant = np.int64(quarter)
    swap = (quadrant & 1) == 1
    s = cosine if swap else sine
    c = sine if swap else cosine
    s = -s if (quadrant & 2) != 0 else s
    c = -c if ((quadrant + 1) & 2) != 0 else c
    return s, c


@inline
def arctan(x):  # type: ignore[no-untyped-def]
    """The angle in [-pi/2, pi/2] whose tangent this is."""
    size = abs(x)
    steep, middling = size > TAN_67, size > 0.66
    over = -1.0 if steep else (size - 1.0 if middling else size)
    under = size if steep else (size + 1.0 if middling else 1.0)
    start = 0.5 * math.pi if steep else (0.25 * math.pi if middling else 0.0)
    t = over / under
    z = t * t
    # A rational minimax approximation on [-0.66, 0.66], by Horner's rule.
    p = -8.750608600031904122785e-01
    p = p * z - 1.615753718733365076637e01
    p = p * z - 7.500855792314704667340e01
    p = p * z - 1.228866684490136173410e02
    p = p * z - 6.485021904942025371773e01
    q = z + 2.485846490142306297962e01
    q = q * z + 1.650270098316988542046e02
    q = q * z + 4.328810604912902668951e02
    q = q * z + 4.853903996359136964868e02
    q = q * z + 1.945506571482613964425e02
    angle = start + (t + t * z * p / q)
    return -angle if x < 0.0 else angle


@inline
def wrap(angle):  # type: ignore[no-untyped-def]
    """The same direction in [-pi, pi]."""
    return angle - TWO_PI * math.floor(angle / TWO_PI + 0.5)
