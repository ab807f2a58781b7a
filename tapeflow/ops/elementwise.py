"""Functions of one number, applied to every element."""

from tapeflow.core.dtypes import FLOATING, INEXACT, NUMERIC, REAL

from .families import elementwise, step

sin = elementwise("sin(x)", kernel="sin", vjp=lambda ops, g, x: g * ops.cos(x))
cos = elementwise("cos(x)", kernel="cos", vjp=lambda ops, g, x: g * -ops.sin(x))
exp = elementwise("exp(x)", kernel="exp", vjp=lambda g, y: g * y)
tanh = elementwise("tanh(x)", kernel="tanh", vjp=lambda g, y: g * (1 - y * y))
square = elementwise("square(x)", kernel="square", vjp=lambda g, x: g * (x + x), dtypes=NUMERIC)
