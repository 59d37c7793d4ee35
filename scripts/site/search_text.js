// A message is searched as it was printed. lunr reads `name: value` as a search in a field `name`, and fails.
if (window.Worker) {
  window.Worker = class extends window.Worker {
    postMessage(message) {
      super.postMessage(message.query ? { query: message.query.replace(/[:~^*+-]/g, ' ') } : message);
    }
  };
}
