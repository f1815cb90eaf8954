import { RailsFile } from '../connectors/rails-file.ts'
import { references } from './references.ts'

/** The JSON Schema of RAILS_FILE, for editors and for people. The build writes `docs/connectors/rails.schema.json`. */
export function railsFileSchema(): Record<string, unknown> {
  const { refer } = references([])
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: 'Rails of a Countersign server',
    ...(withoutDiscriminators(refer(RailsFile)) as Record<string, unknown>),
  }
}

/** The word is OpenAPI's: a JSON Schema has the tag of a union in each of its members. */
function withoutDiscriminators(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(withoutDiscriminators)
  if (typeof node !== 'object' || node === null) return node
  const members = Object.entries(node).filter(([name]) => name !== 'discriminator')
  return Object.fromEntries(members.map(([name, value]) => [name, withoutDiscriminators(value)]))
}
