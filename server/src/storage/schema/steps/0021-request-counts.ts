/**
 * What servers on one database tell each other of callers that use much of their limit. Not logged: after a crash they count anew.
 */
export const requestCounts = `
CREATE UNLOGGED TABLE request_counts (
  -- 'token Token:…', 'person Agent:…', 'address 192.0.2.7'.
  caller text NOT NULL,
  -- Minutes since 1970.
  window_number bigint NOT NULL,
  -- A random name of the process.
  server text NOT NULL,
  count bigint NOT NULL,
  expires_at timestamptz NOT NULL,
  PRIMARY KEY (caller, window_number, server)
);
CREATE INDEX request_counts_expired ON request_counts (expires_at);
`
