import type { ApiDocument, Operation, Parameter, Schema } from './api-document.ts'
import { REFERENCE_PATH } from './reference-path.ts'

/** An operation, with its place in the reference. */
export interface Entry {
  /** The name of the operation, such as `quote_create`. */
  readonly name: string
  readonly address: string
  readonly method: string
  /** The path below the base URL. Empty for a webhook. */
  readonly path: string
  readonly operation: Operation
}

/** The operations with one tag, which share a page of the reference. */
export interface Section {
  readonly title: string
  readonly address: string
  readonly introduction: string
  /** The URL of its guide. */
  readonly guide: string | undefined
  readonly isExperimental: boolean
  readonly entries: readonly Entry[]
}

/** The OpenAPI document by section and by name. */
export interface Api {
  readonly document: ApiDocument
  readonly sections: readonly Section[]
  /** Pages by the last part of their path: a section, or one of its operations. */
  readonly pages: ReadonlyMap<string, Page>
}

export interface Page {
  readonly section: Section
  readonly entry?: Entry
}

export function readApi(document: ApiDocument): Api {
  const entries = [...listEntries(document.paths, false), ...listEntries(document.webhooks, true)]
  const sections = document.tags.map((tag): Section => {
    const [introduction = ''] = (tag.description ?? '').split('\n\n')
    return {
      title: tag.name,
      address: `${REFERENCE_PATH}/${toSlug(tag.name)}`,
      introduction,
      guide: tag.externalDocs?.url,
      isExperimental: tag['x-stability'] === 'experimental',
      entries: entries.filter(({ operation }) => operation.tags[0] === tag.name),
    }
  })
  return { document, sections, pages: new Map(sections.flatMap(listPages)) }
}

function listEntries(paths: ApiDocument['paths'], isWebhook: boolean): Entry[] {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      name: operation.operationId,
      address: `${REFERENCE_PATH}/${operation.operationId}`,
      method: method.toUpperCase(),
      path: isWebhook ? '' : path,
      operation,
    })),
  )
}

function listPages(section: Section): [string, Page][] {
  return [
    [toSlug(section.title), { section }],
    ...section.entries.map((entry): [string, Page] => [entry.name, { section, entry }]),
  ]
}

/**
 * `Customers' tokens` becomes `customers-tokens`. Operation names contain an underscore, so slugs never
 * collide with them.
 */
function toSlug(title: string): string {
  return title
    .toLowerCase()
    .replace(/[^a-z\d]+/g, ' ')
    .trim()
    .replaceAll(' ', '-')
}

/** The name of the schema that a reference points to. */
export function getSchemaName({ $ref }: { readonly $ref?: string }): string | undefined {
  return $ref?.split('/').at(-1)
}

/** The schema that a reference points to, with the annotations next to the reference. */
export function resolveSchema(document: ApiDocument, schema: Schema): Schema {
  const name = getSchemaName(schema)
  if (name === undefined) return schema
  const { $ref: _, ...annotations } = schema
  return { ...document.components.schemas[name], ...annotations }
}

export function resolveParameters(document: ApiDocument, { parameters = [] }: Operation): Parameter[] {
  return parameters.map(
    (parameter) => document.components.parameters[getSchemaName(parameter) ?? ''] ?? parameter,
  )
}
