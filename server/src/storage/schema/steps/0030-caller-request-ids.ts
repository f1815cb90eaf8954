/** The `X-Request-Id` that the caller sent. `request` is the one that the server has made, and the only one that is unique. */
export const callerRequestIds = `
ALTER TABLE logged_requests ADD COLUMN caller_request text;
CREATE INDEX logged_requests_caller_request ON logged_requests (caller_request) WHERE caller_request IS NOT NULL;
`
