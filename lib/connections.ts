import { Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import type { Duplex } from 'node:stream';

/** As many connections as the SDK would open. */
const kept = { keepAlive: true, maxSockets: 50 };

/**
 * Lambda freezes a process between calls, and AWS may close an idle connection meanwhile. A read over such a connection
 * is sent again. A write of the table is not, since it may have arrived: its caller would get a 500. A message gets two
 * tries, which two such connections would use up. So a connection that was idle for longer than this is not used again.
 * Node.js's own servers close an idle connection after five seconds.
 */
const idleMillis = 4000;

/** An agent, and a function that closes all its idle connections if one of them has been idle for too long. */
const withoutIdle = <T extends HttpAgent>(agent: T): { agent: T; closeIdle: () => void } => {
  // The time of the machine, which the other end shares. The service's own clock may be moved.
  const idleSince = new WeakMap<Duplex, number>();
  agent.on('free', (socket: Duplex) => idleSince.set(socket, Date.now()));
  const isOld = (socket: Duplex): boolean => Date.now() - (idleSince.get(socket) ?? 0) > idleMillis;
  return {
    agent,
    closeIdle: () => {
      // The agent notices a closed connection only if the ones before it are closed too, so this closes all or none.
      for (const sockets of Object.values(agent.freeSockets))
        if (sockets?.some(isOld)) for (const socket of [...sockets]) socket.destroy();
    },
  };
};

/** Agents for a client of AWS, and a function to call before each call: it closes connections that are too old. */
export const freshConnections = () => {
  const plain = withoutIdle(new HttpAgent(kept));
  const secure = withoutIdle(new HttpsAgent(kept));
  return {
    agents: { httpAgent: plain.agent, httpsAgent: secure.agent },
    closeIdle: (): void => {
      plain.closeIdle();
      secure.closeIdle();
    },
  };
};
