import { createHash } from 'node:crypto'

export const STYLE = `
:root{color-scheme:light;--ink:#14202e;--soft:#4a5868;--line:#c3ccd6;--page:#f3f5f8;--blue:#0b4fb3;--dark:#083b87;--red:#b3140b;--green:#0a6b3d}
*{box-sizing:border-box}
html{-webkit-text-size-adjust:100%;text-size-adjust:100%}
body{margin:0;background:var(--page);color:var(--ink);font:1.0625rem/1.5 system-ui,-apple-system,"Segoe UI",Roboto,sans-serif;overflow-wrap:anywhere}
.skip{position:absolute;left:-100vw;top:0;padding:.75rem 1rem;background:#fff;z-index:1}
.skip:focus{left:0}
header{background:#fff;border-bottom:1px solid var(--line)}
header div,main,footer{max-width:38rem;margin:0 auto;padding:1rem}
header div{display:flex;align-items:center;gap:.75rem;min-height:3.75rem;padding:.5rem 1rem}
header svg{flex:none;width:1.75rem;height:1.75rem;color:var(--blue)}
header .name{margin:0}
header strong{font-size:1.125rem;line-height:1.3}
header span{display:block;color:var(--soft);font-size:.875rem}
main{padding-top:1.5rem;padding-bottom:2rem}
footer{color:var(--soft);font-size:.875rem;padding-bottom:3rem}
footer p{margin:.25rem 0}
h1{font-size:1.625rem;line-height:1.25;margin:0 0 .75rem;letter-spacing:-.01em}
h2{font-size:1.1875rem;line-height:1.3;margin:1.75rem 0 .5rem}
.first{margin-top:0}
h3{font-size:1.0625rem;margin:0 0 .25rem}
p{margin:0 0 1rem}
a{color:var(--blue)}
a:hover{color:var(--dark)}
.step{margin:0 0 .25rem;color:var(--soft);font-size:.9375rem;font-weight:600}
.bar{height:.375rem;margin:0 0 1.5rem;border-radius:1rem;background:#dbe2ea;overflow:hidden}
.bar i{display:block;height:100%;background:var(--blue)}
.w1{width:25%}.w2{width:50%}.w3{width:75%}.w4{width:100%}.t1{width:33.3%}.t2{width:66.6%}
.card{background:#fff;border:1px solid var(--line);border-radius:.75rem;padding:1.125rem;margin:0 0 1rem}
.card>:last-child,.summary>:last-child,.note>:last-child{margin-bottom:0}
.field{border:0;margin:0 0 1.375rem;padding:0;min-width:0}
.wrong{border-left:.3125rem solid var(--red);padding-left:.75rem}
label,legend{display:block;font-weight:600;margin:0 0 .25rem;padding:0}
.optional,.hint{color:var(--soft);font-weight:400}
.hint{font-size:.9375rem;margin:0 0 .375rem}
.error{color:var(--red);font-weight:600;margin:0 0 .375rem}
input,select,textarea{width:100%;min-height:3rem;padding:.625rem .75rem;border:1px solid #6b7a8b;border-radius:.5rem;background:#fff;color:var(--ink);font:inherit;font-size:1.0625rem}
select{text-overflow:ellipsis}
input.short{max-width:8rem}
input[type=date]{max-width:14rem}
input[type=file]{padding:.75rem;border-style:dashed;background:#f8fafc;min-height:3.5rem}
input::file-selector-button{min-height:2.25rem;margin-right:.75rem;padding:0 .875rem;border:1px solid #6b7a8b;border-radius:.375rem;background:#fff;color:var(--ink);font:inherit}
.wrong input,.wrong select,.wrong textarea{border-color:var(--red)}
.several select{margin:0 0 .5rem}
.choice{display:flex;align-items:center;gap:.75rem;min-height:2.75rem}
.choice input{flex:none;width:1.5rem;height:1.5rem;min-height:0;margin:0;accent-color:var(--blue)}
.choice label{flex:1;margin:0;padding:.5rem 0;font-weight:400}
:focus-visible{outline:.1875rem solid #ffbf47;outline-offset:.125rem;box-shadow:0 0 0 .125rem var(--ink)}
button,.button{display:inline-flex;align-items:center;justify-content:center;width:100%;min-height:3.125rem;padding:.625rem 1.25rem;border:1px solid transparent;border-radius:.5rem;background:var(--blue);color:#fff;font:inherit;font-weight:600;text-decoration:none;text-align:center;cursor:pointer}
button:hover,.button:hover{background:var(--dark);color:#fff}
.second{background:#fff;border-color:#6b7a8b;color:var(--ink)}
.second:hover{background:#eef2f6;color:var(--ink)}
.link{display:inline-flex;align-items:center;width:auto;min-height:2.75rem;padding:0;border:0;background:none;color:var(--blue);font-weight:400;text-decoration:underline}
.link:hover{background:none;color:var(--dark)}
.actions{display:grid;gap:.75rem;margin:1.5rem 0 0}
.summary{border:.25rem solid var(--red);border-radius:.5rem;background:#fff;padding:1rem;margin:0 0 1.5rem}
.summary h2{margin:0 0 .5rem}
.summary ul{margin:0;padding-left:1.25rem}
.summary a{color:var(--red);font-weight:600}
.note{border-left:.3125rem solid var(--blue);background:#e9f0fb;border-radius:0 .5rem .5rem 0;padding:.875rem 1rem;margin:0 0 1.25rem}
.note p{white-space:pre-line;margin:0 0 .5rem}
.done{border-left-color:var(--green);background:#e8f5ee}
ul.plain{list-style:none;margin:0;padding:0}
.row{display:flex;gap:.5rem 1rem;align-items:center;justify-content:space-between;flex-wrap:wrap}
.row form{margin:0}
.row>:first-child{flex:1 1 10rem}
li.row{padding:.25rem 0;border-top:1px solid #e3e8ee}
li.row:first-child{border-top:0}
.card ul:not(.plain){padding-left:1.25rem;margin-top:0}
.row p{margin:0}
.soft{color:var(--soft)}
dl{margin:0}
dl div{padding:.625rem 0;border-top:1px solid #e3e8ee}
dl div:first-child{border-top:0;padding-top:0}
dl div:last-child{padding-bottom:0}
dt{color:var(--soft);font-size:.9375rem}
dd{margin:0;white-space:pre-line}
.hidden{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%);white-space:nowrap}
@media (min-width:40rem){
h1{font-size:2rem}
main{padding-top:2.5rem}
.card{padding:1.5rem}
button,.button{width:auto;min-width:12rem}
.link{min-width:0}
.actions{display:flex;flex-wrap:wrap;align-items:center}
dl div{display:grid;grid-template-columns:14rem 1fr;gap:1rem}
dt{font-size:1rem}
}`

/** The hash by which the Content-Security-Policy allows this style, and no other. */
export const STYLE_HASH = createHash('sha256').update(STYLE).digest('base64')
