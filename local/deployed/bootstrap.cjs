'use strict';

// A function's process loads this before Amazon's runtime client. It replaces the client's addon, which cannot be built
// without curl's sources, and leads connections to AWS to the engines of this machine. The address of the engines is an
// argument, so that the environment stays the function's own.

const dns = require('node:dns/promises');
const http = require('node:http');
const https = require('node:https');
const { registerHooks } = require('node:module');

const [, , engines = ''] = process.argv;
const [host, port] = engines.split(':');
const isAws = /\.amazonaws\.com$/;
const agent = new http.Agent({ keepAlive: true });
const { request } = https;
const { lookup } = dns;

// Functions call only public hosts of the virtual world. These names lead to ports of this machine.
const loopback = /^loopback-(\d+)\.agni\.secondlife\.io$/;
dns.lookup = (name, ...rest) =>
  loopback.test(name) ? Promise.resolve([{ address: '8.8.8.8', family: 4 }]) : lookup(name, ...rest);

https.request = (...args) => {
  const [options, ...rest] = args;
  const name = options.hostname ?? options.host;
  const [, own] = loopback.exec(name) ?? [];
  if (own) {
    const [{ headers, ...others }, ...callback] = rest;
    const path = `${options.pathname}${options.search}`;
    const to = { protocol: 'http:', hostname: '127.0.0.1', port: own, path, lookup: undefined };
    return http.request({ ...others, ...to, headers: { ...headers, Host: name } }, ...callback);
  }
  if (options instanceof URL || !isAws.test(name)) return request(...args);
  return http.request(
    { ...options, agent, protocol: 'http:', host, hostname: host, port, servername: undefined },
    ...rest,
  );
};

const api = `http://${process.env.AWS_LAMBDA_RUNTIME_API}/2018-06-01/runtime/invocation`;
const connection = new http.Agent({ keepAlive: true, maxSockets: 1 });

const call = (method, path, headers, body) =>
  new Promise((resolve, reject) => {
    const sent = http.request(`${api}${path}`, { method, headers, agent: connection }, (response) => {
      let bodyJson = '';
      response.setEncoding('utf8').on('data', (chunk) => (bodyJson += chunk));
      response.on('end', () => resolve({ bodyJson, headers: response.headers }));
    });
    sent.on('error', reject).end(body);
  });

/** Ends when the last answer is sent. The addon blocks until then; here, the next call waits for it. */
let sent = Promise.resolve();
const json = { 'Content-Type': 'application/json' };

const native = {
  next: () => sent.then(() => call('GET', '/next')),
  done: (id, body) => {
    sent = call('POST', `/${id}/response`, json, body);
  },
  error: (id, body) => {
    sent = call('POST', `/${id}/error`, json, body);
  },
};
globalThis[Symbol.for('runtime-client')] = native;

registerHooks({
  resolve: (specifier, context, next) =>
    specifier === './rapid-client.node'
      ? { url: 'data:rapid-client', format: 'commonjs', shortCircuit: true }
      : next(specifier, context),
  load: (url, context, next) =>
    url === 'data:rapid-client'
      ? { format: 'commonjs', source: "module.exports = globalThis[Symbol.for('runtime-client')]", shortCircuit: true }
      : next(url, context),
});
