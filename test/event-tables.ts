import { getNamedSchemas } from '@countersign/contract/document/naming'
import { EVENT_TYPES, EVENTS, type EventType } from '@countersign/contract/events/events'
import { eventTypesOf, WEBHOOKS, type Webhook } from '@countersign/contract/events/webhooks'
import { formatMarkdownTable } from './markdown-table.ts'

/** Prints every event type with its meaning and its names in the OpenAPI document. */
export function formatEventTable(): string {
  return formatMarkdownTable(
    ['type', 'it says', 'webhook', 'schema'],
    EVENT_TYPES.map((type) => {
      const [name, webhook] = findWebhook(type)
      return [`\`${type}\``, EVENTS[type], `\`${name}\``, `\`${findSchemaName(webhook)}\``]
    }),
  )
}

function findWebhook(type: EventType): readonly [string, Webhook] {
  const found = Object.entries<Webhook>(WEBHOOKS).find(([, webhook]) => eventTypesOf(webhook).includes(type))
  if (!found) throw new Error(`No webhook has the type ${type}`)
  return found
}

function findSchemaName({ body }: Webhook): string {
  const name = getNamedSchemas().find(([, schema]) => JSON.stringify(schema) === JSON.stringify(body))?.[0]
  if (!name) throw new Error('The body of a webhook has no name in the document')
  return name
}
