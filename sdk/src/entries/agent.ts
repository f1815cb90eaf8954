export { Agent, type AgentConnection, type AgentQuote, type OwnAgent, type PolicyAnswer } from '../agent.ts'
