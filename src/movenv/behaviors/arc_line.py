"""x"""
from movenv.parts import *


class ArcLine:
    def __init__(self, setup): ...

    def refine(self, own, wish, others, notices, moment): ...
