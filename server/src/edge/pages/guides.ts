import { ERROR_PAGE } from '@countersign/contract/core/errors'
import type { FastifyInstance, FastifyReply } from 'fastify'
import { type Html, html } from '../../base/formats/html.ts'
import type { App } from '../../kernel/operation/app.ts'
import { getPublicBasePath } from '../../kernel/operation/base-path.ts'
import { ApiError } from '../../kernel/operation/operation.ts'
import { sendError } from '../http/response/refuse.ts'
import { renderPager } from '../reference/pager.ts'
import { listDocsNames, readDocsFile } from './docs-folder.ts'
import { GUIDE_GROUPS } from './guide-groups.ts'
import type { GuideHtml, GuideOutline } from './guide-html.ts'
import { makeOnce } from './once.ts'
import { pack } from './packed.ts'
import { renderSitePage, sendPage } from './site-page.ts'

/** The guide to all error codes, to which error responses link. */
const ERROR_GUIDE = 'errors.md'

export const GUIDES_PATH = '/docs/guides'
const ALL_GUIDES_PATH = '/docs/guides.md'

/** Titles by served file. A JSON file has an empty title. */
type ServedTitles = ReadonlyMap<string, string>

/** A listed guide. */
interface ListedGuide extends GuideOutline {
  readonly name: string
  readonly address: string
}

/** Computed once, because the files do not change while the server runs. */
const getServedTitles = makeOnce(readServedTitles)

/** All guides in the order of their groups. */
export const listedGuides = makeOnce(async (): Promise<readonly ListedGuide[]> => {
  const shown = await getServedTitles()
  const names = GUIDE_GROUPS.flatMap(({ names }) => names).filter((name) => shown.has(name))
  const { readGuideOutline } = await import('./guide-html.ts')
  return Promise.all(
    names.map(async (name) => ({
      ...readGuideOutline(await readDocsFile(name), name),
      name,
      address: toAddress(name),
    })),
  )
})

/**
 * Serves the guides of `docs/` as HTML and Markdown, each rendered on first request. Also serves an index and
 * a single file with all guides for programs.
 */
export function addGuides(server: FastifyInstance, app: App): void {
  const getPage = makeOnce(async (name) =>
    pack(await renderGuidePage(name, await getServedTitles()), 'text/html'),
  )
  const getList = makeOnce(async () => pack(await listPage(), 'text/html'))
  server.get(ERROR_PAGE, async (request, reply) => sendPage(request, reply, await getPage(ERROR_GUIDE)))
  const sendText = (reply: FastifyReply, type: string, text: string) =>
    reply.type(`text/${type}; charset=utf-8`).send(text)
  const getAllGuides = makeOnce(async () => buildAllGuideTexts(await getServedTitles()))
  const getIndex = makeOnce(async (origin: string) => buildLlmsText(app, origin))
  server.get('/llms.txt', async (_request, reply) => sendText(reply, 'plain', await getIndex(app.origin())))
  server.get(ALL_GUIDES_PATH, async (_request, reply) => sendText(reply, 'markdown', await getAllGuides()))
  server.get(GUIDES_PATH, async (request, reply) => sendPage(request, reply, await getList()))
  server.get<{ Params: { '*': string } }>(`${GUIDES_PATH}/*`, async (request, reply) => {
    const shown = await getServedTitles()
    const requestedName = request.params['*']
    if (requestedName.endsWith('.json') && shown.has(requestedName))
      return reply.type('application/json; charset=utf-8').send(await readDocsFile(requestedName))
    if (requestedName.endsWith('.md') && shown.has(requestedName))
      return sendText(reply, 'markdown', await buildGuideText(requestedName, shown))
    if (shown.has(`${requestedName}.md`))
      return sendPage(request, reply, await getPage(`${requestedName}.md`))
    return sendError(app, reply, new ApiError('NOT_FOUND', { message: 'Guide not found.' }))
  })
}

/** The files in `reference/` are served by other routes. */
async function readServedTitles(): Promise<ServedTitles> {
  const names = (await listDocsNames()).filter(
    (name) => /\.(?:md|json)$/.test(name) && !name.startsWith('reference/'),
  )
  const readTitle = async (name: string) => {
    const title = name.endsWith('.md') ? /^# (.+)$/m.exec(await readDocsFile(name))?.[1] : undefined
    return [name, title?.replaceAll('`', '') ?? ''] as const
  }
  return new Map(await Promise.all(names.map(readTitle)))
}

const toAddress = (name: string) =>
  name === ERROR_GUIDE ? ERROR_PAGE : `${GUIDES_PATH}/${name.replace(/\.md$/, '')}`

/** Loads the Markdown library when a guide is first requested. */
async function readGuide(name: string, shown: ServedTitles): Promise<GuideHtml> {
  const { renderGuideHtml } = await import('./guide-html.ts')
  return renderGuideHtml(await readDocsFile(name), name, createFinder(shown))
}

function createFinder(shown: ServedTitles) {
  return (name: string) => {
    const title = shown.get(name)
    return title === undefined ? undefined : { address: toAddress(name), title }
  }
}

async function renderGuidePage(name: string, shown: ServedTitles): Promise<string> {
  const { title, body, sections } = await readGuide(name, shown)
  const names = GUIDE_GROUPS.flatMap(({ names }) => names)
  const index = names.indexOf(name)
  const linkTo = (linkedName: string | undefined) =>
    linkedName === undefined
      ? undefined
      : { address: toAddress(linkedName), title: shown.get(linkedName) ?? linkedName }
  const links = index >= 0 && renderPager(linkTo(names[index - 1]), linkTo(names[index + 1]))
  return renderSitePage({
    title: `${title} – Countersign`,
    body: html`${body}${links}`,
    side: renderGuideSide(name, shown),
    sections,
  })
}

/** All guides by group, shown next to the current one. */
function renderGuideSide(current: string, shown: ServedTitles): Html {
  const renderItem = (name: string) =>
    html`<li><a href="${toAddress(name)}"${name === current && html` aria-current="page"`}>${shown.get(name)}</a></li>`
  const groups = GUIDE_GROUPS.map(
    ({ title, names }) =>
      html`<p>${title}</p><ul>${names.filter((name) => shown.has(name)).map(renderItem)}</ul>`,
  )
  return html`<nav class="side" aria-label="Guides">${groups}</nav>`
}

async function listPage(): Promise<string> {
  const guides = await listedGuides()
  const groups = GUIDE_GROUPS.map(({ title, names }) => {
    const items = guides
      .filter(({ name }) => names.includes(name))
      .map(
        ({ address, title, introduction }) =>
          html`<li><a href="${address}">${title}</a><br><span class="soft">${introduction}</span></li>`,
      )
    return html`<h2>${title}</h2><ul class="places">${items}</ul>`
  })
  return renderSitePage({ title: 'Guides – Countersign', body: html`<h1>Guides</h1>${groups}` })
}

/** A guide as Markdown that can be read without the repository, because its links are URLs of this server. */
async function buildGuideText(name: string, shown: ServedTitles): Promise<string> {
  const { renderGuideMarkdown } = await import('./guide-html.ts')
  return renderGuideMarkdown(await readDocsFile(name), name, createFinder(shown))
}

async function buildAllGuideTexts(shown: ServedTitles): Promise<string> {
  const guides = await listedGuides()
  const texts = await Promise.all(guides.map(({ name }) => buildGuideText(name, shown)))
  return texts.join('\n')
}

/** An index in the format of llms.txt, with absolute URLs. */
async function buildLlmsText({ config }: App, origin: string): Promise<string> {
  const guides = (await listedGuides()).map(
    ({ name, title, introduction }) => `- [${title}](${origin}${GUIDES_PATH}/${name}): ${introduction}`,
  )
  return `# Countersign

> A self-hosted payments platform with embedded wallets: customers, accounts, payments, currencies, cards, agents and signed webhooks
> over one HTTP API. Amounts are integers in the smallest unit of their currency.

- [OpenAPI document](${origin}${getPublicBasePath(config)}/openapi.json): every endpoint with its schemas, errors and an example
- [All guides in one file](${origin}${ALL_GUIDES_PATH})

## Guides

${guides.join('\n')}
`
}
