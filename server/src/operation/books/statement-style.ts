import { createHash } from 'node:crypto'

/** The style for paper, desktops and phones. On a phone each table row becomes a block. */
export const STYLE = `
:root{color-scheme:light;--ink:#14202e;--soft:#4a5868;--line:#c3ccd6;--pale:#f3f5f8}
*{box-sizing:border-box}
html{-webkit-text-size-adjust:100%;text-size-adjust:100%}
body{margin:0;background:var(--pale);color:var(--ink);font:.9375rem/1.45 system-ui,-apple-system,"Segoe UI",Roboto,sans-serif;overflow-wrap:anywhere}
main{max-width:70rem;margin:0 auto;padding:1.5rem 1rem 3rem;background:#fff}
h1{font-size:1.5rem;line-height:1.25;margin:0 0 .25rem}
h2{font-size:1.125rem;margin:2rem 0 .5rem}
p{margin:0 0 .75rem}
.soft{color:var(--soft)}
dl{display:grid;grid-template-columns:repeat(auto-fit,minmax(11rem,1fr));gap:.75rem 1.5rem;margin:1.25rem 0;padding:1rem 0;border:solid var(--line);border-width:1px 0}
dt{color:var(--soft);font-size:.8125rem}
dd{margin:0;font-weight:600;font-variant-numeric:tabular-nums}
table{width:100%;border-collapse:collapse}
caption{text-align:left;color:var(--soft);padding:0 0 .5rem}
th,td{padding:.5rem .5rem;text-align:left;vertical-align:top;border-bottom:1px solid var(--line)}
th{font-size:.8125rem;color:var(--soft);font-weight:600;border-bottom-width:2px}
tbody th{font-size:inherit;color:inherit;border-bottom-width:1px}
td small{display:block;color:var(--soft);font-size:.8125rem}
.figure{text-align:right;white-space:nowrap;font-variant-numeric:tabular-nums}
.when{white-space:nowrap}
.reference{min-width:9.5rem}
.sum td,.sum th{font-weight:600;background:var(--pale)}
footer{margin-top:2rem;color:var(--soft);font-size:.8125rem}
@media screen and (max-width:44rem){
main{padding:1rem}
thead{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%)}
table,tbody,tr,td,tbody th,caption{display:block}
tr{padding:.625rem 0;border-bottom:1px solid var(--line)}
td,tbody th,.sum td,.sum th{display:flex;gap:1rem;justify-content:space-between;padding:.125rem 0;border:0;text-align:right;background:none}
td:empty{display:none}
td::before,tbody th::before{content:attr(data-label);flex:none;color:var(--soft);font-weight:400;text-align:left}
}
@media print{
@page{margin:1.5cm}
html{font-size:12px}
body{background:#fff}
main{max-width:none;padding:0}
thead{display:table-header-group}
tr{break-inside:avoid}
h2{break-after:avoid}
.sum td,.sum th{background:none;border-top:1px solid var(--ink)}
}`

/** The Content-Security-Policy allows only the style with this hash. */
export const STYLE_HASH = createHash('sha256').update(STYLE).digest('base64')
