/** Webhooks that a payment waits for are due work of a kind and a lane of their own (jobs/lanes.ts). */
export const questions = `
DROP INDEX jobs_due_main;
DROP INDEX jobs_webhook_event;
DROP INDEX jobs_webhook_queue;
CREATE INDEX jobs_due_main ON jobs (platform_id, due_at, id)
  WHERE kind NOT IN ('message.deliver', 'webhook.ask', 'webhook.deliver');
CREATE INDEX jobs_due_questions ON jobs (platform_id, due_at, id) WHERE kind IN ('webhook.ask');
CREATE INDEX jobs_webhook_event ON jobs ((payload->>'eventId')) WHERE kind IN ('webhook.ask', 'webhook.deliver');
CREATE INDEX jobs_webhook_queue ON jobs ((payload->>'objectId'), ((payload->>'sequence')::integer))
  WHERE kind IN ('webhook.ask', 'webhook.deliver');
`
