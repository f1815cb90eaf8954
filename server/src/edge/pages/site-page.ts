import { createHash } from 'node:crypto'
import { Html, html } from '../../base/formats/html.ts'

const STYLE = `
:root{color-scheme:light dark;--ink:#17202b;--soft:#52606f;--line:#d5dce4;--page:#fff;--raised:#f4f6f9;--blue:#0b4fb3}
@media (prefers-color-scheme:dark){:root{--ink:#e4e9ef;--soft:#a3afbc;--line:#38434f;--page:#14191f;--raised:#1e252d;--blue:#84b4ff}}
*{box-sizing:border-box}
html{-webkit-text-size-adjust:100%;text-size-adjust:100%;scroll-padding-top:4rem}
body{margin:0;background:var(--page);color:var(--ink);font:1rem/1.6 system-ui,-apple-system,"Segoe UI",Roboto,sans-serif;overflow-wrap:break-word}
a{color:var(--blue)}
a:focus-visible,summary:focus-visible,pre:focus-visible,.table:focus-visible{outline:2px solid var(--blue);outline-offset:2px}
.skip{position:absolute;left:-100vw;padding:.5rem 1rem;background:var(--page);z-index:2}
.skip:focus{left:0}
header{position:sticky;top:0;z-index:1;background:var(--page);border-bottom:1px solid var(--line)}
header nav{display:flex;gap:1.25rem;align-items:center;max-width:76rem;margin:0 auto;padding:.75rem 1rem}
header a{color:var(--soft);text-decoration:none}
header a:first-child{color:var(--ink);font-weight:650}
header a:hover{color:var(--blue)}
main{min-width:0;width:100%;max-width:50rem;margin:0 auto;padding:1.5rem 1rem 4rem}
.with-contents{display:grid;max-width:76rem;margin:0 auto;grid-template-columns:minmax(0,1fr)}
.contents{padding:1rem 1rem 0;font-size:.9375rem}
.contents summary{cursor:pointer}
.contents summary,.contents p{margin:0;color:var(--soft);font-weight:600}
.contents ul{list-style:none;margin:.5rem 0 0;padding:0}
.contents li{margin:.25rem 0}
.contents a{color:var(--soft);text-decoration:none}
.contents a:hover{color:var(--blue)}
@media (max-width:63.999rem){.contents>ul,.contents>p{display:none}}
@media (min-width:64rem){.contents details{display:none}.with-contents{grid-template-columns:17rem minmax(0,1fr);gap:2rem}.contents{position:sticky;top:3.25rem;align-self:start;max-height:calc(100vh - 3.25rem);overflow:auto;padding:2rem 1rem}.with-contents main{margin:0}}
h1{font-size:1.875rem;line-height:1.25;margin:.5rem 0 1rem;letter-spacing:-.015em}
h2{font-size:1.375rem;line-height:1.3;margin:2.5rem 0 .75rem;padding-top:.5rem;border-top:1px solid var(--line)}
h3 code{font-weight:600}
h3{font-size:1.125rem;line-height:1.35;margin:1.75rem 0 .5rem}
p,ul,ol,pre,.table,blockquote{margin:0 0 1rem}
li{margin:.25rem 0}
code{font:.875em ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;background:var(--raised);border-radius:.25rem;padding:.1em .3em;overflow-wrap:anywhere}
pre{background:var(--raised);border:1px solid var(--line);border-radius:.5rem;padding:.875rem 1rem;overflow-x:auto;line-height:1.5}
pre code{background:none;padding:0;overflow-wrap:normal}
.table{overflow-x:auto}
table{border-collapse:collapse;font-size:.9375rem}
th,td{border-bottom:1px solid var(--line);padding:.4375rem .75rem .4375rem 0;text-align:left;vertical-align:top;min-width:5rem}
td code{overflow-wrap:normal}
blockquote{border-left:3px solid var(--line);padding-left:1rem;color:var(--soft)}
dl{display:grid;grid-template-columns:max-content minmax(0,1fr);gap:.375rem 1rem;margin:0 0 1.5rem}
dt{color:var(--soft)}
dd{margin:0;overflow-wrap:anywhere}
a[id]:target+h3{background:var(--raised);box-shadow:-.75rem 0 0 var(--raised),-1rem 0 0 var(--blue);border-radius:.125rem}
.soft{color:var(--soft)}
.places{list-style:none;padding:0}
.places li{border:1px solid var(--line);border-radius:.5rem;padding:.75rem 1rem;margin:0 0 .75rem}
.places a{font-weight:600}
@media (max-width:30rem){dl{grid-template-columns:minmax(0,1fr);gap:0}dd{margin:0 0 .625rem}h1{font-size:1.5rem}}
`

const STYLE_HASH = createHash('sha256').update(STYLE).digest('base64')

/** Such a page loads nothing, runs no script and sends nothing. */
export const SITE_PAGE_POLICY = [
  "default-src 'none'",
  `style-src 'sha256-${STYLE_HASH}'`,
  'img-src data:',
  "form-action 'none'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ')

/** A whole page about this server, of text alone. `contents` is a list of what is on it. */
export function sitePage(title: string, body: Html, contents?: Html): string {
  const main = html`<main id="main">${body}</main>`
  return html`${new Html('<!doctype html>')}
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<link rel="icon" href="data:,">
<style>${new Html(STYLE)}</style>
</head>
<body>
<a class="skip" href="#main">Skip to the content</a>
<header><nav aria-label="Pages"><a href="/">Countersign</a><a href="/docs/guides">Guides</a><a href="/docs">API reference</a></nav></header>
${contents ? html`<div class="with-contents">${contents}${main}</div>` : main}
</body>
</html>
`.text
}
