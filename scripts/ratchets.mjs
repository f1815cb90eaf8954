import { ensureGenerated } from './generate.mjs'
import { ensureInstalled } from './install.mjs'
import { ROOT, runScript, ScriptError } from './run.mjs'
import { importTypeScript } from './typescript.mjs'

const USAGE = `Usage: npm run ratchets [-- --check | --list [name]]
  writes lower numbers into ratchets.json
  --check  only compares; npm run check does this
  --list   prints all numbers, or the places of those with this in their name`

await runScript(async () => {
  const [flag, list = '', ...rest] = process.argv.slice(2)
  const isKnown = flag === '--list' || (list === '' && (flag === undefined || flag === '--check'))
  if (!isKnown || rest.length > 0) throw new ScriptError(USAGE)
  await ensureInstalled()
  await ensureGenerated()
  const { checkRatchets } = await importTypeScript('test/ratchets/main.ts')
  const options = { lower: flag === undefined, ...(flag === '--list' ? { list } : {}) }
  const { text, code } = await checkRatchets(ROOT, options)
  process.stdout.write(`${text}\n`)
  return code
})
