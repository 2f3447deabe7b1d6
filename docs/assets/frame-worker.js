// Browsers refuse workers to pages that are opened from a folder. There, this runs a worker's script
// in a hidden frame, so that the search of the documentation works without a server.

class FrameWorker extends EventTarget {
  constructor(script) {
    super();
    this.frame = document.createElement("iframe");
    this.frame.hidden = true;
    document.body.append(this.frame);

    const scope = this.frame.contentWindow;
    scope.document.open();
    scope.document.write("<!doctype html><body></body>");
    scope.document.close();

    // what a script expects of a worker's global scope
    scope.postMessage = (data) => this.receive(data);
    scope.importScripts = async (...scripts) => {
      for (const each of scripts) await FrameWorker.load(scope, each);
    };
    this.ready = FrameWorker.load(scope, script);
  }

  static load(scope, script) {
    return new Promise((resolve, reject) => {
      const element = scope.document.createElement("script");
      element.src = script;
      element.onload = resolve;
      element.onerror = () => reject(new Error(`${script} cannot be loaded`));
      scope.document.body.append(element);
    });
  }

  receive(data) {
    const event = new MessageEvent("message", { data });
    this.dispatchEvent(event);
    if (this.onmessage) this.onmessage(event);
  }

  postMessage(data) {
    this.ready.then(() => {
      const scope = this.frame.contentWindow;
      scope.dispatchEvent(new scope.MessageEvent("message", { data }));
    });
  }

  terminate() {
    this.frame.remove();
  }
}

window.IFrameWorker = FrameWorker; // the name by which the theme's search looks for it
if (location.protocol === "file:") window.Worker = FrameWorker;
