import sys
from pathlib import Path
from build import Builder
from sysroot import MACHINES
f=Path('/work/wk1/build/release'); f.mkdir(parents=True,exist_ok=True)
d=Path('/work/wk1/dist'); d.mkdir(exist_ok=True)
b=Builder(f,d,'90',print)
if 'sdist' in sys.argv: print(b.sdist())
for m in sys.argv[2:]: print(b.wheel(MACHINES[m], sys.argv[1]))
