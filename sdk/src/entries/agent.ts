export { Agent } from '../agent.ts'
