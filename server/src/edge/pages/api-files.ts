import { parseEvents, parseExamples, type RecordedExamples } from '@countersign/contract/document/examples'
import type { App } from '../../kernel/operation/app.ts'
import { getPublicBasePath } from '../../kernel/operation/base-path.ts'
import { readDocsFile } from './docs-folder.ts'
import { makeOnce } from './once.ts'

export const POSTMAN_PATH = '/docs/postman.json'

/** The OpenAPI document and the collection of this server, each created on first request. */
export interface ApiFiles {
  readonly document: () => Promise<string>
  readonly collection: () => Promise<string>
}

export function createApiFiles(app: App): ApiFiles {
  return { document: makeOnce(() => buildDocument(app)), collection: makeOnce(() => buildCollection(app)) }
}

async function buildDocument(app: App): Promise<string> {
  const { mode, wireWord } = app.config
  const examples = await readExamples(app)
  const { openApi } = await import('@countersign/contract/document/openapi')
  const serverUrl = getPublicBasePath(app.config)
  return JSON.stringify(openApi({ serverUrl, mode, wireWord, ...(examples ? { examples } : {}) }))
}

/** The collection includes the server's URL, because the importing client cannot know it otherwise. */
async function buildCollection(app: App): Promise<string> {
  const { mode, wireWord } = app.config
  const examples = (await readExamples(app)) ?? { records: {}, calls: {} }
  const { buildPostmanCollection } = await import('@countersign/contract/document/postman')
  const serverUrl = app.origin() + getPublicBasePath(app.config)
  return JSON.stringify(buildPostmanCollection({ serverUrl, mode, wireWord, examples }))
}

/** Undefined if there is no folder `docs`. */
async function readExamples({ config, log }: App): Promise<RecordedExamples | undefined> {
  const readLines = async (name: string) => {
    const text = await readDocsFile(name)
    return config.mode === 'production' ? toProductionExamples(text) : text
  }
  try {
    const events = parseEvents(await readLines('reference/events.jsonl'))
    return { ...parseExamples(await readLines('reference/examples.jsonl')), events }
  } catch (err) {
    log.warn({ err }, 'failed to read the examples for the OpenAPI document')
    return undefined
  }
}

/**
 * Rewrites card page URLs: the sandbox, where examples are recorded, serves the page itself; in production
 * the card processor does.
 */
function toProductionExamples(examples: string): string {
  return examples.replaceAll(/http:[^",]*\/sandbox\/cards\//g, 'https://cards.example/')
}
