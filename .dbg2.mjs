import { chromium } from 'playwright-core'
import { mkdtemp } from 'node:fs/promises'
import { readFileSync } from 'node:fs'
const O='http://127.0.0.1:18790'
const FLAGS=['--headless','--no-sandbox','--disable-gpu','--disable-background-networking','--disable-component-update','--disable-sync','--no-first-run']
const c=await chromium.launchPersistentContext(await mkdtemp('/tmp/h/ref-prof-'),{executablePath:'/usr/bin/chromium',args:FLAGS,viewport:{width:+(process.argv[2]??1280),height:900}})
const p=await c.newPage()
p.on('console',m=>{if(['error','warning'].includes(m.type()))console.log('CONSOLE',m.type(),m.text().slice(0,300))})
p.on('pageerror',e=>console.log('ERR',String(e).slice(0,300)))
p.on('response',r=>{if(r.url().includes('2025-10-13/'))console.log(r.status(),r.request().method(),r.url())})
await p.goto(O+'/docs#tag/quotes/post/quotes'); await p.waitForTimeout(4000)
const cred=JSON.parse(readFileSync('/tmp/h/ref-data/credentials.json','utf8'))
await p.getByText('Fill “try it”').click()
await p.fill('#fill-id',cred.tokenId); await p.fill('#fill-secret',cred.clientSecret); await p.click('#fill button')
await p.waitForFunction(()=>/about|rror|not/.test(document.querySelector('#fill output').textContent),null,{timeout:20000}).catch(e=>console.log(String(e)))
await p.getByText('Fill “try it”').click()
await p.waitForTimeout(3500)
console.log(p.url())
await p.getByRole('button',{name:/Test Request.*post \/quotes\)/i}).first().click()
await p.waitForTimeout(2500)
await p.screenshot({path:`/tmp/h/ref-shots/try-${process.argv[2]??1280}.png`})
const send=p.getByRole('button',{name:/^Send/}).first()
await send.click(); await p.waitForTimeout(2500)
await p.screenshot({path:`/tmp/h/ref-shots/sent-${process.argv[2]??1280}.png`})
await c.close()
