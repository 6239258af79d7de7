// @ts-check

/**
 * Calls one of the local service's own tools. The error's message says what is wrong.
 * @param {string} path under `/_dev/`
 * @param {object} [body] makes it a POST
 * @returns {Promise<any>}
 */
export const call = async (path, body) => {
  const sent = fetch(`/_dev/${path}`, body && { method: 'POST', body: JSON.stringify(body) });
  const response = await sent.catch(() => {
    throw new Error('The service does not answer.');
  });
  const value = await response.json();
  if (!response.ok) throw new Error(value.error);
  return value;
};

/**
 * Limits work to one run at a time. Any number of calls during a run cause one more run.
 * @param {() => Promise<void>} work
 * @param {number} [pauseMillis] before each run
 * @returns {() => void}
 */
export const refresher = (work, pauseMillis = 150) => {
  let wanted = false;
  let running = false;
  const run = async () => {
    running = true;
    while (wanted) {
      await new Promise((resolve) => setTimeout(resolve, pauseMillis));
      wanted = false;
      // When the event stream connects again, the page reads everything again.
      await work().catch(() => undefined);
    }
    running = false;
  };
  return () => {
    wanted = true;
    if (!running) run();
  };
};

/**
 * Follows the events of the service, also after its restarts.
 * @param {Record<string, (data: any) => void>} listeners by event
 * @param {(connected: boolean) => void} onState
 */
export const follow = (listeners, onState) => {
  const source = new EventSource('/_dev/events');
  for (const [event, listen] of Object.entries(listeners))
    source.addEventListener(event, (message) => listen(JSON.parse(message.data)));
  source.addEventListener('open', () => onState(true));
  source.addEventListener('error', () => {
    onState(false);
    // A starting service refuses the stream, and the browser does not retry after a refusal.
    if (source.readyState === EventSource.CLOSED) setTimeout(() => follow(listeners, onState), 1000);
  });
};
