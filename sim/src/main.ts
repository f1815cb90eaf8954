import { configOf, runSeed } from './run.ts'
import { openEngine } from './world/engine.ts'

const engine = await openEngine()
const config = configOf(process.env, engine.folder)
const [from, count] = process.argv.slice(2).map(Number)
for (let seed = from!; seed < from! + (count ?? 1); seed++) {
  const ran = await runSeed(seed, engine, config)
  console.log(seed, ran.digest, JSON.stringify(ran.counts))
  if (ran.wrong) {
    console.log(ran.trace.slice(-12).join('\n'))
    console.log(ran.wrong)
    if (process.env.DBG) console.log((await engine.db.query(process.env.DBG)).rows)
  }
}
await engine.close()
process.exit()
