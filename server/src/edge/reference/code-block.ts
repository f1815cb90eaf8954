import hljs from 'highlight.js/lib/core'
import bash from 'highlight.js/lib/languages/bash'
import go from 'highlight.js/lib/languages/go'
import http from 'highlight.js/lib/languages/http'
import ini from 'highlight.js/lib/languages/ini'
import java from 'highlight.js/lib/languages/java'
import javascript from 'highlight.js/lib/languages/javascript'
import json from 'highlight.js/lib/languages/json'
import python from 'highlight.js/lib/languages/python'
import shell from 'highlight.js/lib/languages/shell'
import sql from 'highlight.js/lib/languages/sql'
import typescript from 'highlight.js/lib/languages/typescript'
import xml from 'highlight.js/lib/languages/xml'
import yaml from 'highlight.js/lib/languages/yaml'
import { Html, html } from '../../base/formats/html.ts'

const LANGUAGES = { bash, go, http, ini, java, javascript, json, python, shell, sql, typescript, xml, yaml }
for (const [name, language] of Object.entries(LANGUAGES)) hljs.registerLanguage(name, language)

/** Renders code, highlighted if its language is known. The page's script adds a copy button. */
export function renderCodeBlock(code: string, language?: string): Html {
  const isKnown = language !== undefined && hljs.getLanguage(language) !== undefined
  const inner = isKnown ? new Html(hljs.highlight(code, { language }).value) : html`${code}`
  return html`<div class="code"><pre tabindex="0"><code>${inner}</code></pre></div>\n`
}

/** Renders a value as indented JSON. */
export function renderJsonBlock(value: unknown): Html {
  return renderCodeBlock(JSON.stringify(value, null, 2), 'json')
}
