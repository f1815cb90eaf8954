import { chromium } from 'playwright-core'
import { mkdtemp } from 'node:fs/promises'
import { readFileSync } from 'node:fs'
const O='http://127.0.0.1:18790'
const FLAGS=['--headless','--no-sandbox','--disable-gpu','--disable-background-networking','--disable-component-update','--disable-sync','--no-first-run']
const c=await chromium.launchPersistentContext(await mkdtemp('/tmp/h/ref-prof-'),{executablePath:'/usr/bin/chromium',args:FLAGS,viewport:{width:1280,height:900}})
const p=await c.newPage()
p.on('console',m=>console.log('CONSOLE',m.type(),m.text().slice(0,300)))
p.on('pageerror',e=>console.log('ERR',String(e).slice(0,300)))
await p.goto(O+'/docs'); await p.waitForTimeout(4000)
console.log(await p.evaluate(()=>[...document.querySelectorAll('*')].filter(e=>e.children.length==0&&/janedoe/.test(e.outerHTML)).map(e=>e.outerHTML.slice(0,300))))
console.log(await p.evaluate(()=>[...document.querySelectorAll('a[href*="#"]')].map(e=>e.getAttribute('href')).filter(h=>/config|quote/.test(h)).slice(0,8)))
const cred=JSON.parse(readFileSync('/tmp/h/ref-data/credentials.json','utf8'))
await p.getByText('Fill “try it”').click()
await p.screenshot({path:'/tmp/h/ref-shots/fill.png'})
await p.fill('#fill-id',cred.tokenId); await p.fill('#fill-secret',cred.clientSecret); await p.click('#fill button')
await p.waitForFunction(()=>/about|rror|not/.test(document.querySelector('#fill output').textContent),null,{timeout:20000}).catch(e=>console.log(String(e)))
console.log(await p.textContent('#fill output'))
await p.waitForTimeout(3000)
await p.screenshot({path:'/tmp/h/ref-shots/filled.png'})
await p.getByText('Fill “try it”').click()
// search
await p.keyboard.press('Control+k'); await p.waitForTimeout(500); await p.keyboard.type('quote',{delay:40}); await p.waitForTimeout(800)
await p.screenshot({path:'/tmp/h/ref-shots/search.png'}); await p.keyboard.press('Escape')
await p.goto(O+'/docs#tag/quotes/post/quotes'); await p.waitForTimeout(1500)
await p.screenshot({path:'/tmp/h/ref-shots/op.png'})
console.log(await p.evaluate(()=>[...document.querySelectorAll('button')].map(b=>b.textContent.trim()).filter(t=>/test/i.test(t)).slice(0,5)))
await c.close()
