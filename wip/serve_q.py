import sys,json,time,signal
sys.path.insert(0,'/var/tmp/w/E/main/tests/genai_perf')
from sweep import Sweep
from server import Server
import inspect
s=Sweep('/var/tmp/w/E/main/build/default/src/orchestrate','/var/tmp/w/E/q/store') 
with Server(s,4,'/var/tmp/w/E/q/srv') as srv:
    json.dump(srv.ports,open('/var/tmp/w/E/q/ports.json','w'))
    print('ready',srv.ports,flush=True)
    while True: time.sleep(3600)
