import { chromium } from 'playwright-core'
import { mkdtemp } from 'node:fs/promises'
const O='http://127.0.0.1:18790'
const FLAGS=['--headless','--no-sandbox','--disable-gpu','--disable-background-networking','--disable-component-update','--disable-sync','--no-first-run']
const only = process.argv[2]?.split(',')
const cases=[['landing','/'],['guides','/docs/guides'],['guide','/docs/guides/first-payment'],['guide-tables','/docs/guides/webhooks#delivery'],['ref','/docs'],['ref-op','/docs#tag/quotes/POST/quotes'],['ref-tag','/docs#tag/wallet-sign-in']]
for (const [w,h] of [[1280,900],[390,844]]) for (const scheme of ['light','dark']) {
  const c=await chromium.launchPersistentContext(await mkdtemp('/tmp/h/ref-prof-'),{executablePath:'/usr/bin/chromium',args:FLAGS,viewport:{width:w,height:h},colorScheme:scheme})
  const p=await c.newPage()
  p.on('console',m=>{if(['error','warning'].includes(m.type()))console.log('CONSOLE',m.text().slice(0,300))})
  p.on('pageerror',e=>console.log('ERR',String(e).slice(0,300)))
  p.on('request',r=>{if(!r.url().startsWith(O)&&!/^(data|blob):/.test(r.url()))console.log('OUT',r.url())})
  for (const [n,u] of cases) { if(only&&!only.includes(n))continue
    await p.goto('about:blank'); await p.goto(O+u); if(u.startsWith('/docs')&&n.startsWith('ref')) await p.waitForTimeout(4500)
    await p.screenshot({path:`/tmp/h/ref-shots/${n}-${w}-${scheme}.png`})
    const sw=await p.evaluate(()=>document.documentElement.scrollWidth); if(sw>w)console.log('WIDE',n,w,sw)
  }
  await c.close()
}
