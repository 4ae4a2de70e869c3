"""The first 300 patients of the sample table, who are invented: as `workspace.sample` writes them (the tests look).

A word is a patient: five years of age (a: 0 to 4), sex, region (north, south, east, west, abroad), then a letter for
the ward of each visit (emergency, surgery, medicine, maternity (b), paediatrics).
"""

from __future__ import annotations

BANDS = "abcdefghijklmnopqrst"
REGIONS = "nsewa"
WARDS = "esmbp"
PATIENTS = """
mMemem qMns nMns rFss qFnb hFws dMsemmm nMem nFwmm jFwp dFnpm fMem lFwe pMnmmm mFwpe bMwppppp eMwm fFsm cFwpppp
fMsms oFee jMnm tMsm iFwb eMnmmse hFemm iMsem iFws dFwp jFwps iFsm tFnep lFne eFwpepb dFnp iFee fFnb dMnesme mMsme
nMwmsm mFwpm nMwese kFnp lFesep fFsbbse kMwm eFwepbp nMnmm qFnbsp lMwmm oMnm iFwpmsp qMsm pMnm bFep pFne kFses
lMnmsm mFnm nMsm kMes mMemmm nMnmm kFns jFep kMnm iFnbmmme mFasm mMwm jFsmb lFes oMsmem gFnss qMnss gMsm lMnmmmmm
jFemeps pMwsm pMnm mFnp jFnseb jFne dFwb rMsm eFse nMasem gMem lMemmm eMwmmme nFnp nMem mFnps iMem nFemsp jMem
kMseem mFssbps mFaeb nMse iFwmp oFnemmp lFwsm kFes oFsm gMns dFns rFss eMsemme dFnb iFnmpp iMnmesm qMws hMemm kFem
dFempps pMem dMws nMne gFwm fMemmm oFesb qFee eFnb gMnm pFwpsm jMnsmmm iFsppb jFwsbmp fFwsmbb gMwmmm kMnmm mMnm kFse
eFnpp bFap nFwpbp hFnbpb dFwebe hFss iMwm eMsmse kMees oMss oMsmm mMnme iFsms iMeme gFwb lFsm fFsbebm nMsm iMem kFes
mFnpp fMemmmm nFnp oMns pMnm fFne kFsse iMsme hFsemm nFwme tFne gMne mFep lFnm jMnmemm hFsbpbp fMemm oFwb fMem hFapp
eFee fFsbppp jMem lMam oMnmmsm qFwps oMnm jFwe hFee lFnb iMnm dFsmm mFee eFnp jMsemmm oMnm hMes jMnm jFee oMem
lFebsms hFspee sMwmsm gFepbep qMemm qMwmemm lFsp gMwm iMwme jMemm dMwmm gFsp oMnm gFes nMemm jFee lFemmp jFse dMsem
hMnm dFes kFee mFes iFns fMsmeee gFnpbbe iMsmmss kMem eFssme jFwsmbb hFws lMnm pMne iFse lMsm hFem oMsem iFsbms eFeb
cFwp lFspp hMwe bFsppp mMnsmmm tMasmmm fMne fFsp iMwm lFepe fMss kFebbs lMwmm mFems hMne nFwe lMemmmm nMwe fFwpesp
mFem mFeeb kMes cFsp rFas jFee fMwee sMwmmmm lFnm hMnmsmm jMws nMsme mFep lMses nMsms iMnmme nFnp mMnmsm lFspp
lMasme jFwbes jMnm lFnp kMsems dFssem pMss cFwppp lFnme mFnsp lFnbbp iMws kFse jFwm lFeb fMns qMnsmm jFwb pMes
hFwppsb eMns oMseesm fMsmmsmm hMssss hFss fMem qFnsmm kFneb kFwb lMwm
"""
