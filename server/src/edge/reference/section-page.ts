import { type Html, html } from '../../base/formats/html.ts'
import type { Api, Entry, Section } from './api.ts'
import { renderPager } from './pager.ts'
import { renderInline, renderProse } from './prose.ts'

/** Renders the start page: how to call the API, and every section with its operations. */
export function renderReferencePage(api: Api, baseUrl: string, files: readonly Html[]): Html {
  const { info } = api.document
  const sections = api.sections.map(
    (section) =>
      html`<h2 id="${section.address.split('/').at(-1)}"><a href="${section.address}">${section.title}</a></h2><p>${renderInline(section.introduction)}</p>${renderOperations(section, false)}`,
  )
  return html`<h1>API reference</h1>
${renderProse(info.description)}
<dl>
<dt>Base URL</dt><dd><code>${baseUrl}</code></dd>
<dt>Credentials</dt><dd>HTTP Basic: <code>tokenId</code> as user name, <code>clientSecret</code> as password</dd>
<dt>Conventions</dt><dd><a href="/docs/guides/api">API conventions</a>, <a href="/docs/errors">errors</a></dd>
<dt>Version</dt><dd>${info['x-description-version']}</dd>
<dt>Files</dt><dd>${files}</dd>
</dl>
${sections}`
}

/** Renders a section with its operations and the first paragraphs of their descriptions. */
export function renderSectionPage({ title, introduction, guide, isExperimental, ...section }: Section): Html {
  return html`<p class="soft"><a href="/docs">API reference</a></p>
<h1>${title}</h1>
${isExperimental && html`<p class="note">Experimental: may change without notice.</p>`}
<p>${renderInline(introduction)}</p>
${guide && html`<p><a href="${guide}">Read the guide</a></p>`}
${renderOperations(section, true)}`
}

function renderOperations({ entries }: Pick<Section, 'entries'>, hasDescriptions: boolean): Html {
  const items = entries.map(({ name, address, method, path, operation }) => {
    const [beginning = ''] = (operation.description ?? '').split('\n\n')
    return html`<li id="${name}"><a href="${address}">${operation.summary}</a><span class="call">${renderMethodLabel(method)} <code>${path || name}</code></span>${
      hasDescriptions && beginning !== '' && html`<p>${renderInline(beginning)}</p>`
    }</li>`
  })
  return html`<ul class="operations">${items}</ul>`
}

export function renderMethodLabel(method: string): Html {
  return html`<span class="method ${method.toLowerCase()}">${method}</span>`
}

/** Renders the list of sections next to a page, with the operations of the current section. */
export function renderReferenceSide({ sections }: Api, current?: Section, entry?: Entry): Html {
  const items = sections.map((section) => {
    const isCurrent = section === current
    const inside = section.entries.map(
      ({ name, address, operation }) =>
        html`<li><a href="${address}"${name === entry?.name && html` aria-current="page"`}>${operation.summary}</a></li>`,
    )
    return html`<li><a href="${section.address}"${isCurrent && !entry && html` aria-current="page"`}>${section.title}</a>${isCurrent && html`<ul>${inside}</ul>`}</li>`
  })
  return html`<nav class="side" aria-label="Sections"><ul>${items}</ul></nav>`
}

/** Links to the previous and next operation, across sections. */
export function renderEntryPager({ sections }: Api, { name }: Entry): Html {
  const allEntries = sections.flatMap(({ entries }) => entries)
  const index = allEntries.findIndex((entry) => entry.name === name)
  const renderLink = (entry: Entry | undefined) =>
    entry && { address: entry.address, title: entry.operation.summary }
  return renderPager(renderLink(allEntries[index - 1]), renderLink(allEntries[index + 1]))
}
