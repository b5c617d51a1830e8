"""mklock.py PINS > LOCK : hashes of the wheels for CPython 3.11/3.12 x86_64"""
import json, subprocess, sys, collections
pins=[l.strip() for l in open(sys.argv[1]) if l.strip() and not l.startswith('#')]
h=collections.defaultdict(list)
for v in ('3.11','3.12'):
    plats=[]
    for p in ['manylinux1','manylinux2010','manylinux2014','manylinux_2_5','manylinux_2_12','manylinux_2_17','manylinux_2_24','manylinux_2_26','manylinux_2_27','manylinux_2_28','manylinux_2_31','manylinux_2_34','manylinux_2_35','manylinux_2_36','linux']:
        plats+=['--platform',p+'_x86_64']
    subprocess.run(['lockenv/bin/pip','-q','install','--dry-run','--ignore-installed','--no-deps','--only-binary',':all:','--python-version',v,*plats,'--target','/tmp/xx','--report','/tmp/r.json','--disable-pip-version-check',*pins],check=True)
    for i in json.load(open('/tmp/r.json'))['install']:
        x=i['download_info']['archive_info']['hashes']['sha256']
        n=(i['metadata']['name'],i['metadata']['version'])
        if x not in h[n]: h[n].append(x)
for (n,v) in sorted(h,key=lambda k:k[0].lower()):
    print(f"{n}=={v} \\\n" + " \\\n".join(f"    --hash=sha256:{x}" for x in sorted(h[(n,v)])))
